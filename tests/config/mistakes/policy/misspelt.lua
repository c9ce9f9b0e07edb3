-- A hook by another name.
function start() end
function tiemr() end
