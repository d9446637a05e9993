package wire

import (
	"github.com/starling-ml/starling/consensus"
)

// codecDense is float32 values in the order of the parameter vector. Other numbers are reserved.
const codecDense = 0

// estimateMeta is the length of an estimate's body without its payload: run and signature, age and
// flags, six integers of 8 bytes (epoch, round, seq, steps, step time, payload length), degree,
// loss and codec.
const estimateMeta = 2*16 + 9 + 6*8 + 4 + 4 + 1

// frame appends everything but the payload. All frames start with the run, the model, the age and
// the flags.
func (e *encoder) frame(f Format, frame Frame) {
	e.hash(f.Run)
	e.hash(f.Signature)
	e.u64(uint64(frame.Age))
	e.bool(frame.Replace)
	switch m := frame.Message.(type) {
	case consensus.Estimate:
		e.estimate(m)
	case consensus.Established:
		e.u64(m.Epoch)
		e.u64(m.Cycle)
		e.u64(m.Round)
		e.text(string(m.U), MaxName)
		e.text(string(m.V), MaxName)
	case consensus.Intent:
		e.u64(m.Epoch)
		e.u64(m.Round)
		e.bool(m.Include)
	case consensus.Degree:
		e.u64(m.Epoch)
		e.u64(m.Round)
		e.u32(uint32(m.Active))
	case consensus.Done:
		e.u64(m.Epoch)
		e.u64(m.Round)
		e.text(string(m.Peer), MaxName)
		e.bool(m.Gone)
	default:
		e.fail(Schema, "message of unknown type %T", m)
	}
}

func (e *encoder) estimate(m consensus.Estimate) {
	for _, v := range []uint64{m.Epoch, m.Round, m.Seq, m.Steps, uint64(m.StepTime)} {
		e.u64(v)
	}
	e.u32(uint32(m.Degree))
	e.f32(m.Loss)
	e.u8(codecDense)
	e.u64(4 * uint64(len(m.Params)))
}

// frame reads what encoder.frame appended. A frame of another run or model fails after its fields
// were read, so that the reader can still find the next one.
func (d *decoder) frame(f Format, k kind) Frame {
	run, signature := d.hash(), d.hash()
	frame := Frame{Age: d.duration("age"), Replace: d.bool()}
	switch k {
	case kindEstimate:
		frame.Message = d.estimate(f)
	case kindEstablished:
		frame.Message = consensus.Established{
			Epoch: d.u64(), Cycle: d.u64(), Round: d.u64(), U: d.peer(), V: d.peer(),
		}
	case kindIntent:
		frame.Message = consensus.Intent{Epoch: d.u64(), Round: d.u64(), Include: d.bool()}
	case kindDegree:
		frame.Message = consensus.Degree{Epoch: d.u64(), Round: d.u64(), Active: d.degree()}
	case kindDone:
		frame.Message = consensus.Done{Epoch: d.u64(), Round: d.u64(), Peer: d.peer(), Gone: d.bool()}
	}
	if run != f.Run {
		d.fail(Token, "frame of run %s, this is run %s", run.Short(), f.Run.Short())
	}
	if signature != f.Signature {
		d.fail(Schema, "frame of model %s, the run's model is %s", signature.Short(), f.Signature.Short())
	}
	return frame
}

func (d *decoder) estimate(f Format) consensus.Estimate {
	m := consensus.Estimate{
		Epoch: d.u64(), Round: d.u64(), Seq: d.u64(), Steps: d.u64(),
		StepTime: d.duration("step time"), Degree: d.degree(), Loss: d.f32(),
	}
	if codec := d.u8(); codec != codecDense {
		d.fail(Schema, "codec %d is unknown", codec)
	}
	if length := d.u64(); length != 4*uint64(f.Params) {
		d.fail(Size, "payload of %d bytes, the run's model has %d", length, 4*f.Params)
	}
	return m
}
