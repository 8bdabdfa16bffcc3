package generate

import "github.com/plumbline-ml/plumbline/sdk/backend"

// limits are the lengths of an answer, what ends it, and what it cannot hold.
type limits struct {
	least, most int
	ends        []int32
	never       []int32 // ends and what is never generated
	forceEnd    bool    // the token at place most ends the answer
	renormalize bool
	normal      bool // the model gives log probabilities
}

// limitsOf copies a prompt's limits.
func limitsOf(p *backend.Prompt, o Options) limits {
	ends := append([]int32(nil), p.EOS...)
	return limits{
		least: p.MinNewTokens, most: p.MaxNewTokens, ends: ends, never: append(ends[:len(ends):len(ends)], o.Never...),
		forceEnd: o.ForceEnd && len(ends) > 0, renormalize: o.Renormalize, normal: o.normal,
	}
}

// banned are the tokens that an answer of n tokens cannot go on with: what is never generated, and the end tokens
// while it is too short to end.
func (l *limits) banned(n int) []int32 {
	if n < l.least {
		return l.never
	}
	return l.never[len(l.ends):]
}

// mustEnd says that the token behind n others is the end token, whatever the model says.
func (l *limits) mustEnd(n int) bool { return l.forceEnd && n == l.most-1 }

// best is the most probable token that an answer of n tokens can go on with.
func (l *limits) best(logits []float32, n int) (int32, error) {
	if l.mustEnd(n) {
		return l.ends[0], nil
	}
	return argmax(logits, l.banned(n))
}

// row is what the model gave for the tokens behind n others, which it changes.
func (l *limits) row(logits []float32, n int) (row, error) {
	if l.mustEnd(n) {
		return certain(logits, l.ends[0]), nil
	}
	r, err := newRow(logits, l.normal)
	if err != nil {
		return row{}, err
	}
	if l.renormalize {
		r.settle()
	}
	r.ban(l.banned(n))
	if l.renormalize {
		return newRow(r.values, false)
	}
	return r, nil
}
