"""Simulated ports, and what may befall a call to them: first parts of a larger room."""

from faultlab.mock.broker import Broker, BrokerError, Delivery
from faultlab.mock.faults import Crash, DuplicateDelivery, Fault, LostReply, OneFault
from faultlab.mock.journal import Journal
from faultlab.mock.ports import PortError, port
from faultlab.mock.receiver_port import ReceiverPort
from faultlab.mock.trace import LANES, LEGEND, LaneEvent, ends_worker, lane_events, lanes, trace

__all__ = [
    "LANES",
    "LEGEND",
    "Broker",
    "BrokerError",
    "Crash",
    "Delivery",
    "DuplicateDelivery",
    "Fault",
    "Journal",
    "LaneEvent",
    "LostReply",
    "OneFault",
    "PortError",
    "ReceiverPort",
    "ends_worker",
    "lane_events",
    "lanes",
    "port",
    "trace",
]
