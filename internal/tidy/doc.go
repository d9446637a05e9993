// Package tidy holds the rules of this code base as tests: who may import whom and why, how long things
// may get, what must be documented and tested, and what the pure rooms may not touch. A rule that is
// not checked is forgotten; a rule that turns out to be wrong is changed here, with its reason.
package tidy
