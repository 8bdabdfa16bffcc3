package coco

import (
	"slices"
)

// sampleOrder returns the index in g.Images of each sample of the log.
func sampleOrder(g *GroundTruth, o EvalOptions, images, categories rankIndex) []int32 {
	if !o.RemoveEmpty {
		order := make([]int32, len(g.Images))
		for i := range order {
			order[i] = int32(i)
		}
		return order
	}
	place := make(map[int64]int32, len(g.Images))
	for i, im := range g.Images {
		place[im.ID] = int32(i)
	}
	order := []int32{}
	for _, id := range setOrder(annotatedImages(g, images, categories)) {
		order = append(order, place[id])
	}
	return order
}

// annotatedImages returns the image of each annotation, category by category in the order of the file. The official
// script lists them in this order before it builds a set.
func annotatedImages(g *GroundTruth, images, categories rankIndex) []int64 {
	byCategory := make([][]int64, len(categories))
	for i := range g.Annotations {
		a := &g.Annotations[i]
		rank, wanted := categories[a.Category]
		if _, known := images[a.Image]; known && wanted {
			byCategory[rank] = append(byCategory[rank], a.Image)
		}
	}
	var ids []int64
	for _, c := range g.Categories {
		ids = append(ids, byCategory[categories[c.ID]]...)
	}
	return ids
}

// setOrder returns the distinct values in the order in which CPython (3.7 and later) iterates over set(values), because
// the official script numbers its samples in that order. A CPython set is an open-addressing hash table in which the
// hash of an int is its value. A lookup probes ten neighbouring slots, then a step that mixes in five more bits of the
// hash. When more than three fifths of the slots are used, the set is copied to a table at least four times the number
// of its values (twice above 50,000).
func setOrder(values []int64) []int64 {
	t := newIntSet(8)
	for _, v := range values {
		if !t.add(v) {
			continue
		}
		if t.used*5 >= (len(t.slots)-1)*3 {
			t = t.growTable()
		}
	}
	return t.values()
}

// intSet is the hash table of a CPython set of ints.
type intSet struct {
	slots    []int64
	occupied []bool
	used     int
}

func newIntSet(size int) *intSet {
	return &intSet{slots: make([]int64, size), occupied: make([]bool, size)}
}

// add adds v. It returns false if the set already contains v.
func (t *intSet) add(v int64) bool {
	const neighbours, shift = 9, 5
	mask := uint64(len(t.slots) - 1)
	hash := intHash(v)
	perturb, i := hash, hash&mask
	for {
		last := i
		if i+neighbours <= mask {
			last += neighbours
		}
		for j := i; j <= last; j++ {
			if !t.occupied[j] {
				t.slots[j], t.occupied[j] = v, true
				t.used++
				return true
			}
			if t.slots[j] == v {
				return false
			}
		}
		perturb >>= shift
		i = (i*5 + 1 + perturb) & mask
	}
}

// intHash returns CPython's hash of an int: the remainder modulo 2^61-1 with the sign of the int, and -2 for -1.
func intHash(v int64) uint64 {
	const modulus = 1<<61 - 1
	h := v % modulus
	if h == -1 {
		h = -2
	}
	return uint64(h)
}

func (t *intSet) growTable() *intSet {
	minSize := t.used * 4
	if t.used > 50000 {
		minSize = t.used * 2
	}
	size := 8
	for size <= minSize {
		size *= 2
	}
	larger := newIntSet(size)
	for _, v := range t.values() {
		larger.add(v)
	}
	return larger
}

func (t *intSet) values() []int64 {
	all := make([]int64, 0, t.used)
	for i, v := range t.slots {
		if t.occupied[i] {
			all = append(all, v)
		}
	}
	return slices.Clip(all)
}
