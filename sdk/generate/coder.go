package generate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// coderModel is a model with an encoder and a decoder.
type coderModel struct {
	encoder, first, next *modelGraph // first and next are equal if the decoder runs all tokens
	slots                []stateSlot
	masked               bool // sources of different widths can be padded
	hasLogProbs          bool // the decoders return log probabilities
	vocab                int  // vocabulary size of the decoder; 0: unknown
	options              GeneratorOptions
	tracker              *outputTracker
}

// NewEncoderDecoder returns a generator on the sessions p, which Close closes. After an error the caller must close
// them. o.Start is the first token of the decoder.
func NewEncoderDecoder(p EncoderDecoder, o GeneratorOptions) (*Generator, error) {
	c, errModel := bindCoder(p)
	o, errOptions := o.withDefaults()
	if err := errors.Join(errModel, errOptions); err != nil {
		return nil, err
	}
	o.hasLogProbs = c.hasLogProbs
	c.options = o
	c.tracker = newOutputTracker(c)
	if err := errors.Join(c.checkOptions(), c.checkCopies()); err != nil {
		return nil, err
	}
	overlap := c.allowsLateJoin()
	for _, g := range []*modelGraph{c.encoder, c.first, c.next} {
		overlap = overlap && g.session.Limits().Concurrency > 1
	}
	return startGenerator(c, o, overlap), nil
}

// checkOptions checks the options against the model.
func (c *coderModel) checkOptions() error {
	var faults []error
	if len(c.options.Start) == 0 {
		faults = append(faults, errors.New("generate: Start is empty, want what the decoder is given before an answer"))
	}
	if err := checkTokens(c.options.Start, c.vocab); err != nil {
		faults = append(faults, fmt.Errorf("generate: Start: %w", err))
	}
	if c.encoder.hasUse(features) && c.options.Features == nil {
		faults = append(faults, errors.New("generate: the encoder takes features, which Features has to make of audio"))
	}
	return errors.Join(faults...)
}

func (c *coderModel) newMemory() rowMemory {
	return &coderState{slots: c.slots, values: make([]slotValue, len(c.slots))}
}
func (c *coderModel) takesAudio() bool { return c.encoder.hasUse(features) }

// allowsLateJoin reports whether new rows can join running ones. They can if all states have a fixed size, because no
// row then depends on the lengths of others.
func (c *coderModel) allowsLateJoin() bool {
	for _, s := range c.slots {
		if !s.constant && s.widthAxis >= 0 {
			return false
		}
	}
	return !slices.ContainsFunc([]tensorUse{offset, positions, positionsOnce, mask, cached}, func(u tensorUse) bool {
		return c.next.hasUse(u)
	})
}

// canJoin reports whether a sequence can run together with others. It cannot if rows must have equal lengths and some
// have advanced, or if its source cannot be padded to the width of theirs.
func (c *coderModel) canJoin(s, other memorySize, stepped, fresh bool) bool {
	fits := s.source == other.source || c.masked && (fresh || !c.tracker.keepsOutputs() || s.source < other.source)
	return fits && (!stepped || c.allowsLateJoin())
}

// levelSizes sets all sources of a batch to the same width if their encodings are kept, because they join kept
// encodings.
func (c *coderModel) levelSizes(batch []*sequence, longest memorySize) {
	if !c.tracker.keepsOutputs() {
		return
	}
	for _, s := range batch {
		s.size.source = longest.source
	}
}

func (c *coderModel) promptFaults(p *backend.Prompt) []error {
	var faults []error
	if most := c.cacheCapacity(); most > 0 && len(c.options.Start)+p.MaxNewTokens > most {
		faults = append(faults, fmt.Errorf("MaxNewTokens = %d behind %d tokens to start with, the cache takes %d in all",
			p.MaxNewTokens, len(c.options.Start), most))
	}
	if c.encoder.hasUse(features) {
		if len(p.Audio) == 0 {
			faults = append(faults, errors.New("it has no audio, of which the encoder takes features"))
		}
		return faults
	}
	if len(p.Tokens) == 0 {
		faults = append(faults, errors.New("it has no tokens, which the encoder takes and nothing else"))
	}
	if err := checkTokens(p.Tokens, 0); err != nil {
		faults = append(faults, err)
	}
	return append(faults, checkPadToken(p, 0)...)
}

// cacheCapacity returns the number of tokens of an in-place cache, or 0 if there is none.
func (c *coderModel) cacheCapacity() int {
	if !c.next.hasUse(offset) {
		return 0
	}
	for _, s := range c.slots {
		if !s.constant && s.rowAxis+1 < len(s.shape) {
			return int(s.shape[s.rowAxis+1])
		}
	}
	return 0
}

// begin computes the features of a prompt with audio.
func (c *coderModel) begin(s *sequence) (memorySize, error) {
	source := len(s.prompt.Tokens)
	n := memorySize{prompt: source, source: source, tokens: len(c.options.Start) + s.prompt.MaxNewTokens}
	if !c.encoder.hasUse(features) {
		if c.masked && c.tracker.keepsOutputs() {
			n.source = (n.source + widthStep - 1) / widthStep * widthStep
		}
		return n, nil
	}
	values, shape, err := c.options.Features(s.prompt.Audio)
	if err != nil {
		return n, fmt.Errorf("features of %d samples of audio: %w", len(s.prompt.Audio), err)
	}
	if len(shape) == 0 || backend.Elements(shape) != int64(len(values)) {
		return n, fmt.Errorf("%d features of shape %s", len(values), backend.ShapeString(shape))
	}
	s.features = backend.Tensor{DType: backend.Float32, Shape: shape, Data: backend.Bytes(values)}
	n.prompt, n.source = int(shape[len(shape)-1]), int(shape[len(shape)-1])
	return n, nil
}

// rowBytes assumes an encoder part as wide as the source and a decoder part as wide as all tokens.
func (c *coderModel) rowBytes(n memorySize) int64 {
	total := 0
	for i := range c.slots {
		if s := &c.slots[i]; s.constant {
			total += s.byteSize(1, n.source)
		} else {
			total += s.byteSize(1, n.tokens)
		}
	}
	return int64(total)
}

func (c *coderModel) describe() backend.Info {
	info := describeSession(c.first.session)
	info.Details["state_copied_bytes_per_step"] = fmt.Sprint(c.tracker.copied.Load() / max(c.tracker.steps.Load(), 1))
	return info
}

func (c *coderModel) close() error {
	err := errors.Join(c.encoder.session.Close(), c.first.session.Close())
	if c.next != c.first {
		err = errors.Join(err, c.next.session.Close())
	}
	return err
}
