-- Functions, and none of them a hook.
function each_second() end
