-- A global name that there is not.
sate.n = 0
function timer() end
