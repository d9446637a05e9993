package wire

import (
	"github.com/starling-ml/starling/consensus"
)

// estimateMeta is the length of an estimate's body without its payload: run and signature, age and
// flags, ten numbers of 8 bytes (epoch, round, seq, steps, step time, base, answer, weight and the two
// lengths of the payload), degree, loss, work and codec.
const estimateMeta = 2*16 + 9 + 10*8 + 3*4 + 1

// frame appends everything but the payload. All frames start with the run, the model, the age and
// the flags.
func (e *encoder) frame(f Format, frame Frame) {
	e.hash(f.Run)
	e.hash(f.Signature)
	e.u64(uint64(frame.Age))
	e.bool(frame.Replace)
	switch m := frame.Message.(type) {
	case consensus.Estimate:
		e.estimate(f, m)
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
		e.number(m.Active, maxDegree, "degree")
	case consensus.Done:
		e.u64(m.Epoch)
		e.u64(m.Round)
		e.text(string(m.Peer), MaxName)
		e.bool(m.Gone)
	case consensus.Speed:
		e.u64(m.Epoch)
		e.text(string(m.Peer), MaxName)
		e.u64(m.Version)
		e.u64(uint64(m.StepTime))
	default:
		e.fail(Schema, "message of unknown type %T", m)
	}
}

func (e *encoder) estimate(f Format, m consensus.Estimate) {
	for _, v := range []uint64{m.Epoch, m.Round, m.Seq, m.Steps, uint64(m.StepTime)} {
		e.u64(v)
	}
	e.number(m.Degree, maxDegree, "degree")
	e.f32(m.Loss)
	e.number(m.Work, maxWork, "work")
	e.u64(m.Base)
	e.u64(m.Answer)
	e.weight(m.Weight)
	s := payloadOf(Frame{Message: m}).shape()
	e.shape(s)
	if len(m.Frame) > 0 && len(m.Params) > 0 {
		e.fail(Schema, "estimate with %d parameters beside a frame of %d bytes", len(m.Params), len(m.Frame))
	} else if refusal := s.check(f); refusal != nil {
		e.fail(refusal.Reason, "%s", refusal.Detail)
	}
}

func (e *encoder) shape(s shape) {
	e.u8(s.codec)
	e.u64(s.params)
	e.u64(s.extra)
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
		frame.Message = consensus.Degree{Epoch: d.u64(), Round: d.u64(), Active: d.number(maxDegree, "degree")}
	case kindDone:
		frame.Message = consensus.Done{Epoch: d.u64(), Round: d.u64(), Peer: d.peer(), Gone: d.bool()}
	case kindSpeed:
		frame.Message = consensus.Speed{
			Epoch: d.u64(), Peer: d.peer(), Version: d.u64(), StepTime: d.duration("step time"),
		}
	}
	if run != f.Run {
		d.fail(Token, "frame of run %s, this is run %s", run.Short(), f.Run.Short())
	}
	if signature != f.Signature {
		d.fail(Schema, "frame of model %s, the run's model is %s", signature.Short(), f.Signature.Short())
	}
	return frame
}

// estimate reads an estimate without its payload, whose shape it leaves in d.
func (d *decoder) estimate(f Format) consensus.Estimate {
	m := consensus.Estimate{
		Epoch: d.u64(), Round: d.u64(), Seq: d.u64(), Steps: d.u64(),
		StepTime: d.duration("step time"), Degree: d.number(maxDegree, "degree"), Loss: d.f32(),
		Work: d.number(maxWork, "work"), Base: d.u64(), Answer: d.u64(), Weight: d.weight(),
	}
	d.shape = shape{codec: d.u8(), params: d.u64(), extra: d.u64()}
	if refusal := d.shape.check(f); refusal != nil {
		d.fail(refusal.Reason, "%s", refusal.Detail)
	}
	return m
}
