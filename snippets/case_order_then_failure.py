"""The order exists, the next step fails, and the button is enabled again.

Page: review/cases/a-key-for-each-try
"""

# --8<-- [start:run]
from faultlab.receiver import Receiver, Request


def orders(keep):
    receiver, page = Receiver(now_ms=lambda: 0), {}

    def press(number):
        key = page.get("key", f"press-{number}")
        if keep:
            page["key"] = key
        receiver.apply(Request(key=key, fingerprint=("basket-5", 1200)))
        if number == 1:
            raise RuntimeError("the step after the order failed")

    for number in (1, 2):
        try:
            press(number)
        except RuntimeError as error:
            said = str(error)  # and the button is enabled again
    return len(receiver.effects), said


print("a new key for each press:", *orders(keep=False), sep=" · ")
#> a new key for each press: · 2 · the step after the order failed
print("the key is kept:", *orders(keep=True), sep=" · ")
#> the key is kept: · 1 · the step after the order failed
# --8<-- [end:run]
