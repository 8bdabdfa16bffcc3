# make help lists the targets. Nothing but Go, make and a C compiler is needed.
GO      ?= go
BIN     := bin
FUZZTIME ?= 10s
BENCH   ?= .
COUNT   ?= 6

export CGO_ENABLED ?= 1

.DEFAULT_GOAL := help
