package train

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The state of an SGD: a magic that names the version, the step, the source of randomness (length and
// bytes) and the momentum (length and values), all little-endian.
const stateMagic = "SGD1"

// State implements Trainer.
func (s *SGD) State() ([]byte, error) {
	source, err := s.source.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("state of the sample order: %w", err)
	}
	state := append([]byte(stateMagic), binary.LittleEndian.AppendUint64(nil, s.step)...)
	state = binary.LittleEndian.AppendUint32(state, uint32(len(source)))
	state = append(state, source...)
	state = binary.LittleEndian.AppendUint32(state, uint32(len(s.momentum)))
	return binary.Append(state, binary.LittleEndian, s.momentum)
}

// Restore implements Trainer. On an error the trainer is as it was.
func (s *SGD) Restore(state []byte) error {
	r := bytes.NewReader(state)
	magic := make([]byte, len(stateMagic))
	if _, err := r.Read(magic); err != nil || string(magic) != stateMagic {
		return fmt.Errorf("trainer state starts with %q, not %q: it is of another trainer or version",
			magic, stateMagic)
	}
	var step uint64
	if err := binary.Read(r, binary.LittleEndian, &step); err != nil {
		return fmt.Errorf("trainer state, step: %w", err)
	}
	source, err := readBlock(r, 1)
	if err != nil {
		return fmt.Errorf("trainer state, sample order: %w", err)
	}
	values, err := readBlock(r, 4)
	if err != nil {
		return fmt.Errorf("trainer state, momentum: %w", err)
	}
	if len(values) != 4*len(s.momentum) {
		return fmt.Errorf("trainer state has %d momentum values, this trainer %d: was the model or momentum changed?",
			len(values)/4, len(s.momentum))
	}
	if r.Len() > 0 {
		return fmt.Errorf("trainer state has %d bytes too many", r.Len())
	}
	if err := s.source.UnmarshalBinary(source); err != nil {
		return fmt.Errorf("trainer state, sample order: %w", err)
	}
	s.step = step
	_, err = binary.Decode(values, binary.LittleEndian, s.momentum)
	return err
}

// readBlock reads a count and that many values of some bytes each.
func readBlock(r *bytes.Reader, width int) ([]byte, error) {
	var count uint32
	if err := binary.Read(r, binary.LittleEndian, &count); err != nil {
		return nil, err
	}
	if int64(count)*int64(width) > int64(r.Len()) {
		return nil, fmt.Errorf("%d values announced, %d bytes left", count, r.Len())
	}
	block := make([]byte, int(count)*width)
	_, err := r.Read(block)
	if len(block) == 0 {
		err = nil // an empty read at the end is no error
	}
	return block, err
}
