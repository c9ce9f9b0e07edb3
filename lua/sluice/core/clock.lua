-- The time of the run; C sets it before each step of the control plane.
return { now_ns = 0 }
