// Package wire is the bytes that peers exchange: frames, handshakes, summaries. It knows nothing of
// sockets; everything here decodes hostile input within limits, or fails with a Reason.
//
// Every packet is a header of 16 bytes, a body, and a CRC32C (Castagnoli) over both, all integers
// little-endian:
//
//	magic "STRL" | version u8 | kind u8 | zero u16 | body length u64 | body | crc u32
//
// The header, the first two fields of a hello and the whole of a refusal are the same in every
// version, so that two agents of different versions can tell each other why they do not match.
package wire

// Version is the version of the protocol that this package speaks.
const Version = 2

// Limits of what a packet may carry; a decoder refuses more, an encoder too.
const (
	MaxName      = 64      // bytes in the name of a peer or a run
	MaxText      = 512     // bytes in a reason that people read
	MaxTensors   = 4096    // tensors in a signature
	MaxDims      = 8       // dimensions of a tensor
	MaxAddresses = 16      // addresses in an announcement
	MaxAddress   = 256     // bytes in an address
	MaxAges      = 16      // neighbours in a summary
	MaxSummary   = 300     // bytes of an encoded summary
	MaxControl   = 8 << 10 // bytes of any packet that is neither an estimate nor a hello
	MaxHello     = 512 << 10
)

const (
	headerSize   = 16
	checksumSize = 4
	chunkSize    = 64 << 10 // bytes handled at a time, whatever the packet's length
)
