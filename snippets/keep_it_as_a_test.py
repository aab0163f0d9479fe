"""A search that must stay clean, and the run that once failed, as tests for any runner.

Page: simulate/find-reproduce-regress
"""

# --8<-- [start:run]
import asyncio

from faultlab.testing import assert_clean, assert_fixed

LOST_BOOKING = "faultlab1.eNoVi8EOwjAMQ__F54Iou6B-B7dpigLLGOrWVF0QIMS_E2xfnmV_UJveGq9IMM1S6CKTNiEuI_Fk0tLzbrM-jJgWvWYE1LcXxQ_dPnbOm0ndaOUXUjz8FWBcBanvMesy-sRz5i3vjgjRfRqG7w8_ridS"


async def book_twice():
    account, lock = {"balance": 100}, asyncio.Lock()

    async def book(amount, waits):
        for _ in range(waits):
            await asyncio.sleep(0)
        async with lock:
            balance = account["balance"]
            await asyncio.sleep(0)
            account["balance"] = balance - amount

    await asyncio.gather(book(30, waits=0), book(5, waits=2))
    assert account["balance"] == 65, f"the balance is {account['balance']}"


def test_no_booking_is_lost():
    assert_clean(book_twice)


def test_the_booking_lost_on_monday_is_not_lost_again():
    assert_fixed(book_twice, LOST_BOOKING)


test_no_booking_is_lost()
test_the_booking_lost_on_monday_is_not_lost_again()
print("both pass")
#> both pass
# --8<-- [end:run]
