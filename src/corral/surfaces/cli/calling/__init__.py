"""How a command is called: groups that import a command when it is named, what holds for all of them, their help pages."""
