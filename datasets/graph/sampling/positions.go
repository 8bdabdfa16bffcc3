package sampling

// positions are where nodes of one type are in a batch: a hash table with open addressing that is emptied at once.
type positions struct {
	slots []slot
	used  int
	round uint32 // slots of other rounds are empty
	shift int    // of a hash, to the number of a slot
}

type slot struct {
	node     uint32
	round    uint32
	position int64
}

const fewestSlots = 6 // as a power of 2

func newPositions() positions {
	return positions{slots: make([]slot, 1<<fewestSlots), round: 1, shift: 32 - fewestSlots}
}

// clear forgets all nodes.
func (p *positions) clear() {
	p.used = 0
	if p.round++; p.round == 0 {
		clear(p.slots)
		p.round = 1
	}
}

// find returns the position of node, which is next where the node is new.
func (p *positions) find(node uint32, next int) (position int64, isNew bool) {
	mask := uint32(len(p.slots) - 1)
	for i := node * 0x9e3779b1 >> p.shift; ; i = (i + 1) & mask {
		s := &p.slots[i&mask]
		if s.round != p.round {
			*s = slot{node, p.round, int64(next)}
			if p.used++; 2*p.used > len(p.slots) {
				p.grow()
			}
			return int64(next), true
		}
		if s.node == node {
			return s.position, false
		}
	}
}

// grow doubles the slots.
func (p *positions) grow() {
	old := p.slots
	p.slots, p.used = make([]slot, 2*len(old)), 0
	p.shift--
	for _, s := range old {
		if s.round == p.round {
			p.find(s.node, int(s.position))
		}
	}
}
