package settings

// Word is a name that may look like a number, such as a class or a peer, and needs no quotes.
type Word string

// UnmarshalText takes the word as it is written.
func (w *Word) UnmarshalText(text []byte) error {
	*w = Word(text)
	return nil
}

// Words converts a list for others.
func Words(list []Word) []string {
	var all []string
	for _, w := range list {
		all = append(all, string(w))
	}
	return all
}
