package sampling

// nodePositions maps nodes of one type to their positions in a batch. It is a hash table with open addressing that can
// be cleared in constant time.
type nodePositions struct {
	slots []tableSlot
	used  int
	round uint32 // slots of other rounds are empty
	shift int    // number of bits by which a hash is shifted to get a slot
}

type tableSlot struct {
	node     uint32
	round    uint32
	position int64
}

const minSlotBits = 6 // power of 2

func newPositions() nodePositions {
	return nodePositions{slots: make([]tableSlot, 1<<minSlotBits), round: 1, shift: 32 - minSlotBits}
}

// clear removes all nodes.
func (p *nodePositions) clear() {
	p.used = 0
	if p.round++; p.round == 0 {
		clear(p.slots)
		p.round = 1
	}
}

// findOrAdd returns the position of node. If the node is new, it adds it with the position next.
func (p *nodePositions) findOrAdd(node uint32, next int) (position int64, isNew bool) {
	mask := uint32(len(p.slots) - 1)
	for i := node * 0x9e3779b1 >> p.shift; ; i = (i + 1) & mask {
		s := &p.slots[i&mask]
		if s.round != p.round {
			*s = tableSlot{node, p.round, int64(next)}
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

// grow doubles the number of slots.
func (p *nodePositions) grow() {
	old := p.slots
	p.slots, p.used = make([]tableSlot, 2*len(old)), 0
	p.shift--
	for _, s := range old {
		if s.round == p.round {
			p.findOrAdd(s.node, int(s.position))
		}
	}
}
