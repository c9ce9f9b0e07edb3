-- The run's time, which the host sets before each step of the control plane.
return { now_ns = 0 }
