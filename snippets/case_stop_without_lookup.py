"""The id was never stored, and nothing can be asked: stop, and call a person.

Page: review/cases/stop-or-forget
"""

# --8<-- [start:run]
from faultlab import Lab
from faultlab.async_lab import saved_run

stopped = Lab(fault="native_reply").run()
print("can't be looked up:", stopped["status"], stopped["outcome"])
#> can't be looked up: needs_review unknown
guessed = saved_run("crash-after-effect", "naive")
print("guessed all the same:", guessed["headline"])
#> guessed all the same: Duplicate effect
found = saved_run("crash-after-effect", "durable")
print("can be looked up:", found["headline"])
#> can be looked up: Recovered by operation key
# --8<-- [end:run]
