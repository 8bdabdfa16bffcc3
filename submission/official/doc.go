// Package official is the house of what the official tools for submissions do and say, their mistakes included: each of
// its packages stands for one of them. They may use Plumbline's own judges; no package outside of this folder, the
// command line excepted, may use them, and a test in tools/ holds it. This package only chooses the checker of a round.
package official
