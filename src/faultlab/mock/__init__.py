"""Simulated stores, the ports through which they are called, and what may befall a call.

A store is an object with async methods that keeps what was committed through every crash, and
does what products of its kind promise and no more. `port` puts it, or a client of your own,
behind the call gate; `MockState` holds one of each kind and route.

Rooms, each importing only those before it: plain (values in the history), common, door, ports,
faults, database (committed rows), buffer, transaction, documents, anomalies (what each level of
isolation permits), queue, locks, outbox, inbox, journal, receiver_port, clock, broker (the Async
Failure Lab's), surfaces, state, deps, trace.
"""

from faultlab.mock.anomalies import ANOMALIES, LEVELS, Anomaly, Level, Outcome, anomaly_table
from faultlab.mock.broker import Broker, BrokerError, Delivery
from faultlab.mock.clock import Clock, ClockError
from faultlab.mock.database import (
    Database,
    Document,
    DocumentError,
    Isolation,
    RevisionConflict,
    SerializationError,
)
from faultlab.mock.deps import MockDepsModule
from faultlab.mock.documents import Documents
from faultlab.mock.faults import Crash, DuplicateDelivery, Fault, LostReply, OneFault
from faultlab.mock.inbox import Inbox
from faultlab.mock.journal import Journal
from faultlab.mock.locks import FencedRegister, Lease, LockError, Locks, StaleToken
from faultlab.mock.outbox import Outbox, OutboxEntry, relay
from faultlab.mock.ports import PortError, port
from faultlab.mock.queue import Queue, QueueDelivery, QueueError
from faultlab.mock.receiver_port import ReceiverPort
from faultlab.mock.state import SURFACES, MockState, StateError
from faultlab.mock.trace import LANES, LEGEND, LaneEvent, ends_worker, lane_events, lanes, trace
from faultlab.mock.transaction import Transaction

__all__ = [
    "ANOMALIES",
    "LANES",
    "LEGEND",
    "LEVELS",
    "SURFACES",
    "Anomaly",
    "Broker",
    "BrokerError",
    "Clock",
    "ClockError",
    "Crash",
    "Database",
    "Delivery",
    "Document",
    "DocumentError",
    "Documents",
    "DuplicateDelivery",
    "Fault",
    "FencedRegister",
    "Inbox",
    "Isolation",
    "Journal",
    "LaneEvent",
    "Lease",
    "Level",
    "LockError",
    "Locks",
    "LostReply",
    "MockDepsModule",
    "MockState",
    "OneFault",
    "Outbox",
    "OutboxEntry",
    "Outcome",
    "PortError",
    "Queue",
    "QueueDelivery",
    "QueueError",
    "ReceiverPort",
    "RevisionConflict",
    "SerializationError",
    "StaleToken",
    "StateError",
    "Transaction",
    "anomaly_table",
    "ends_worker",
    "lane_events",
    "lanes",
    "port",
    "relay",
    "trace",
]
