# The best set of each size by R's package leaps: arguments are a table without header, whose last column is the target,
# and the largest size. Prints the seconds, then a line of column numbers, from 0, for each size.
suppressPackageStartupMessages(library(leaps))
given <- commandArgs(trailingOnly = TRUE)
values <- as.matrix(read.csv(given[1], header = FALSE))
X <- values[, -ncol(values)]
y <- values[, ncol(values)]
begun <- proc.time()[["elapsed"]]
found <- regsubsets(X, y, nbest = 1, nvmax = as.integer(given[2]), method = "exhaustive", really.big = TRUE)
chosen <- summary(found)$which[, -1, drop = FALSE]
cat(proc.time()[["elapsed"]] - begun, "\n")
for (row in seq_len(nrow(chosen))) cat(which(chosen[row, ]) - 1, "\n")
