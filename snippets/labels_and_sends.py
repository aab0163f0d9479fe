"""Two runs leave the same labels. In one of them the receiver has acted.

Page: understand/what-remains
"""

# --8<-- [start:run]
from faultlab import Lab

before = Lab(cancel_at="before_send").run()
after = Lab(fault="native_reply").run()

print(before["memory_checkpoints"] == after["memory_checkpoints"])
#> True
print(before["send_count"], after["send_count"])
#> 0 1
# --8<-- [end:run]
