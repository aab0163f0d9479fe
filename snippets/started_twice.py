"""A lab object runs once, even if its first run never got as far as the send.

Page: look-up/errors
"""

# --8<-- [start:run]
from faultlab import Lab

lab = Lab(fault="prepare_write")
print(lab.run()["send_count"])
#> 0
try:
    lab.run()
except ValueError as error:
    print(error)
    #> RUN_ALREADY_STARTED
    print(error.__notes__[0])
    #> A lab object runs once, whatever came of it. Make a new Lab for a new run.
# --8<-- [end:run]
