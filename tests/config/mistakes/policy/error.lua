-- Its first lines are run when it is loaded.
state.count = nothing + 1
