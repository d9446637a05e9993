package wire

// Code says why a hello was refused. The set is closed.
type Code uint8

// Codes. Stranger and Leaving pass by themselves: two member lists will meet, and a peer that restarts
// comes back. All others need somebody to change something.
const (
	CodeProtocol Code = 1 + iota // another version of the protocol
	CodeRun                      // another run
	CodeModel                    // another model signature
	CodeInitial                  // other initial parameters
	CodeRecipe                   // another recipe
	CodeStranger                 // not a neighbour in the refusing peer's member list
	CodeLeaving                  // the refusing peer is shutting down
)

// String returns the word used in logs.
func (c Code) String() string {
	if c >= 1 && int(c) <= len(codeNames) {
		return codeNames[c-1]
	}
	return "unknown"
}

var codeNames = [...]string{
	"protocol", "run", "model", "initial", "recipe", "stranger", "leaving",
}

// Temporary tells whether trying again soon can help without anybody changing anything.
func (c Code) Temporary() bool {
	return c == CodeStranger || c == CodeLeaving
}

// Reason returns the metric label under which a refusal with this code is counted.
func (c Code) Reason() Reason {
	switch c {
	case CodeProtocol, CodeModel, CodeInitial, CodeRecipe:
		return Schema
	}
	return Token
}
