// Package doctest holds the documentation to the program. Every command that a page shows is run, or tried
// by a rule that says why it cannot be run as it is; links lead somewhere; and what there is to know about
// recipes and networks has its place. A page that is wrong is worse than none.
package doctest
