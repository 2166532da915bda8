#!/bin/bash
# A counter under flock, as a shell trigger would keep one; written to be compared with the gate.
exec 9<>"$1"
flock 9
read -r count <&9
echo $((count + 1)) >"$1"
exit 0
