// Package official is the house of what the official tools for submissions do and say, their mistakes included: each of
// its packages stands for one of them. They may use Plumbline's own judges; no package outside of this folder, the
// command line excepted, may use them, and a test in tools/ holds it. This package chooses the checker of a round, and
// has the lines that the tools print, as far as users and their scripts read them.
package official
