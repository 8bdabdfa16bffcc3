package generate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// EncoderDecoder contains the sessions of a model whose decoder reads the encoder's output for a source. The names of
// the tensors determine the form of the model; see the package documentation.
type EncoderDecoder struct {
	Encoder backend.Session
	// Decoder runs the first tokens of a sequence. Without Step, it also runs each following token.
	Decoder backend.Session
	// Step runs one token on the past returned by Decoder or by itself. nil means that Decoder does it.
	Step backend.Session
}

// ErrEncoderDecoder is wrapped by every error about sessions that are not an encoder and a decoder.
var ErrEncoderDecoder = errors.New("the model is not an encoder and a decoder")

// coderBinder builds an encoder-decoder from tensor names.
type coderBinder struct {
	*coderModel
	slotOf map[string]int // by the name of the slot's input
	faults []string
}

// bindCoder binds all tensors of an encoder-decoder. Its error lists all faults.
func bindCoder(p EncoderDecoder) (*coderModel, error) {
	if p.Encoder == nil || p.Decoder == nil {
		return nil, fmt.Errorf("%w: want the session of an encoder and that of a decoder", ErrEncoderDecoder)
	}
	p = recallPast(p)
	b := coderBinder{coderModel: &coderModel{}, slotOf: map[string]int{}}
	b.encoder, b.first = newGraph("encoder", p.Encoder), newGraph("decoder", p.Decoder)
	if b.next = b.first; p.Step != nil {
		b.next = newGraph("decoder with past", p.Step)
	}
	b.bindEncoder()
	for _, g := range b.decoderGraphs() {
		b.bindInputs(g)
	}
	scores := "logits"
	if b.hasLogProbs = b.allReturnLogProbs(); b.hasLogProbs {
		scores = logProbsOutput
	}
	for _, g := range b.decoderGraphs() {
		b.bindOutputs(g, scores)
	}
	b.checkComplete()
	if len(b.faults) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrEncoderDecoder, strings.Join(b.faults, "; "))
	}
	return b.coderModel, nil
}

func newGraph(name string, s backend.Session) *modelGraph {
	none := []graphPort{{slot: -1}}
	return &modelGraph{
		name: name, session: s,
		in: slices.Repeat(none, len(s.Inputs())), out: slices.Repeat(none, len(s.Outputs())),
	}
}

// decoderGraphs returns the graphs that process tokens, each once. The first one has all states.
func (c *coderModel) decoderGraphs() []*modelGraph {
	if c.next == c.first {
		return []*modelGraph{c.next}
	}
	return []*modelGraph{c.next, c.first}
}

func (b *coderBinder) addFault(g *modelGraph, format string, args ...any) {
	b.faults = append(b.faults, g.name+": "+fmt.Sprintf(format, args...))
}

// bindEncoder binds the encoder's inputs. Its outputs and inputs that a decoder reads get their slots later.
func (b *coderBinder) bindEncoder() {
	for i, info := range b.encoder.session.Inputs() {
		u := encoderUses[info.Name]
		if u == unused {
			b.addFault(b.encoder, "input %v is unknown, want one of %s", info, joinNames(encoderUses))
			continue
		}
		b.encoder.in[i].use = u
		b.checkPort(b.encoder, "input", info, u)
	}
	if b.encoder.hasUse(sourceTokens) == b.encoder.hasUse(features) {
		b.addFault(b.encoder, "want one input of tokens, or one of features: %s", joinNames(encoderUses))
	}
}

// checkPort checks a tensor's type and rank against the requirements of its use.
func (b *coderBinder) checkPort(g *modelGraph, kind string, info backend.TensorInfo, u tensorUse) {
	want := requiredShapes[u]
	if n := len(info.Shape); info.DType != want.dtype || n < want.ranks[0] || n > want.ranks[1] {
		b.addFault(g, "%s %v, want %s", kind, info, want.text)
	}
}

// bindInputs binds a decoder's inputs.
func (b *coderBinder) bindInputs(g *modelGraph) {
	for i, info := range g.session.Inputs() {
		p := &g.in[i]
		if p.use = decoderUses[info.Name]; p.use != unused {
			b.checkPort(g, "input", info, p.use)
			continue
		}
		p.use, p.slot = stored, b.bindSlot(g, info)
	}
	if !g.hasUse(tokens) {
		b.addFault(g, "an input of tokens is missing, want one of %s", joinNames(decoderUses))
	}
}

// bindSlot returns the slot of a decoder's input. The input is a state, which has an output, or a constant.
func (b *coderBinder) bindSlot(g *modelGraph, info backend.TensorInfo) int {
	if i, ok := b.slotOf[info.Name]; ok {
		b.checkSlotTensor(g, "input", info, i)
		return i
	}
	s, ok := newSlot(info)
	if !ok {
		b.addFault(g, "input %v, want one free dimension for rows, one more at most, and a size within reason", info)
	}
	i := len(b.slots)
	b.slots, b.slotOf[info.Name] = append(b.slots, s), i
	started, cross := b.bindFirstValue(info.Name, i), isEncoderCache(info.Name)
	b.slots[i].constant = cross || !writesState(g, info.Name)
	b.slots[i].firstRunOnly = g != b.next
	switch {
	case cross && !writesState(b.first, info.Name):
		b.addFault(b.first, "output %q is missing, for the input %q", stateOutput(info.Name), info.Name)
	case !cross && !started && b.slots[i].constant:
		b.addFault(g, "input %q is neither a state, for which an output %q is missing, nor of the encoder",
			info.Name, stateOutput(info.Name))
	}
	return i
}

// bindFirstValue sets the first value of a slot from the encoder, if it has one: an output with the input's name, or
// that name followed by 0, or an input.
func (b *coderBinder) bindFirstValue(name string, slot int) bool {
	names := []string{name, name + "0", constantNames[name]}
	for j, o := range b.encoder.session.Outputs() {
		if slices.Contains(names, o.Name) {
			b.encoder.out[j] = graphPort{stored, slot}
			b.checkSlotTensor(b.encoder, "output", o, slot)
			return true
		}
	}
	for j, in := range b.encoder.session.Inputs() {
		if slices.Contains(names, in.Name) {
			b.encoder.in[j].slot = slot
			b.checkSlotTensor(b.encoder, "input", in, slot)
			return true
		}
	}
	return false
}

// bindOutputs binds a decoder's outputs. Those of constants are used only in the first run.
func (b *coderBinder) bindOutputs(g *modelGraph, scores string) {
	found := false
	for i, info := range g.session.Outputs() {
		if info.Name == scores {
			g.out[i].use, found = logits, true
			b.checkPort(g, "output", info, logits)
			continue
		}
		in := stateInput(info.Name)
		slot, ok := b.slotOf[in]
		switch {
		case ok:
			g.out[i] = graphPort{stored, slot}
			b.checkSlotTensor(g, "output", info, slot)
		case in != "":
			b.addFault(g, "output %q is a state without its input %q", info.Name, in)
		}
	}
	if !found {
		b.addFault(g, "output %s is missing", scores)
	}
}

// logProbsOutput is the output of a decoder that scores tokens with log probabilities.
const logProbsOutput = "log_probs"

// allReturnLogProbs reports whether every decoder returns log probabilities.
func (c *coderModel) allReturnLogProbs() bool {
	for _, g := range c.decoderGraphs() {
		is := func(o backend.TensorInfo) bool { return o.Name == logProbsOutput }
		if !slices.ContainsFunc(g.session.Outputs(), is) {
			return false
		}
	}
	return true
}

// checkSlotTensor checks a tensor against the first input of its slot.
func (b *coderBinder) checkSlotTensor(g *modelGraph, kind string, info backend.TensorInfo, slot int) {
	s := &b.slots[slot]
	ok := info.DType == s.dtype && len(info.Shape) == len(s.shape)
	for i := range s.shape {
		ok = ok && (s.shape[i] == info.Shape[i] || s.shape[i] < 0 || info.Shape[i] < 0)
	}
	if !ok {
		b.addFault(g, "%s %v, want %v%s as the input %q of a decoder",
			kind, info, s.dtype, backend.ShapeString(s.shape), s.name)
	}
}

// checkComplete adds faults for missing tensors, and derives properties of the model from the names.
func (b *coderBinder) checkComplete() {
	states := 0
	for _, s := range b.slots {
		if s.constant {
			continue
		}
		states++
		if s.widthAxis >= 0 && b.next.hasUse(offset) {
			b.addFault(b.next, "input %s %v%s, want a fixed width beside the input offset",
				s.name, s.dtype, backend.ShapeString(s.shape))
		}
		if !writesState(b.first, s.name) {
			b.addFault(b.first, "output %q is missing, for the input %q", stateOutput(s.name), s.name)
		}
	}
	if states == 0 {
		b.addFault(b.next, "it has no state: export it with its past")
	}
	b.masked = b.readsMask()
	for i, p := range b.next.out {
		if shape := b.next.session.Outputs()[i].Shape; p.use == logits && len(shape) > 0 {
			b.vocab = max(int(shape[len(shape)-1]), 0)
		}
	}
}

// readsMask reports whether both the encoder and the decoder read which positions of a source are padding.
func (b *coderBinder) readsMask() bool {
	return slices.ContainsFunc(b.encoder.in, func(p graphPort) bool {
		return (p.use == sourceMask || p.use == sourceLength) && p.slot >= 0
	})
}

// pastPrefix and presentPrefix are optimum's prefixes of the keys and values before and after a run.
const pastPrefix, presentPrefix = "past_key_values.", "present."

// isEncoderCache reports whether a name is that of the encoder's keys and values, which the first run returns.
func isEncoderCache(name string) bool {
	return strings.HasPrefix(name, pastPrefix) && strings.Contains(name, ".encoder.")
}

// stateInput returns the input that a decoder's output becomes in the next run, or "".
func stateInput(output string) string {
	if rest, ok := strings.CutPrefix(output, presentPrefix); ok {
		return pastPrefix + rest
	}
	if rest, ok := strings.CutPrefix(output, "out_"); ok {
		return "in_" + rest
	}
	rest, _ := strings.CutSuffix(output, "_out")
	if rest == output {
		return ""
	}
	return rest
}

// stateOutput returns the name of the output that belongs to a state's input.
func stateOutput(input string) string {
	if rest, ok := strings.CutPrefix(input, pastPrefix); ok {
		return presentPrefix + rest
	}
	if rest, ok := strings.CutPrefix(input, "in_"); ok {
		return "out_" + rest
	}
	return input + "_out"
}

// writesState reports whether a graph has the output of a state.
func writesState(g *modelGraph, input string) bool {
	return slices.ContainsFunc(g.session.Outputs(), func(o backend.TensorInfo) bool { return stateInput(o.Name) == input })
}

// joinNames lists names for a message.
func joinNames(uses map[string]tensorUse) string {
	return strings.Join(slices.Sorted(maps.Keys(uses)), ", ")
}
