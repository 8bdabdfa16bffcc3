package officialdata

import (
	"encoding/binary"
	"math"
)

// pickled is a Python object as written by pickle.dump, in protocol 4.
type pickled []byte

func pickleFile(object pickled) []byte {
	return append(append([]byte{0x80, 4}, object...), '.')
}

func pickleText(s string) pickled {
	return append(pickled{0x8c, byte(len(s))}, s...)
}

func pickleInt(n int) pickled { return binary.LittleEndian.AppendUint32(pickled{'J'}, uint32(n)) }

// pickleFloats returns a tuple of floats.
func pickleFloats(values ...float64) pickled {
	var items []pickled
	for _, v := range values {
		items = append(items, binary.BigEndian.AppendUint64(pickled{'G'}, math.Float64bits(v)))
	}
	return pickleTuple(items...)
}

func pickleTuple(items ...pickled) pickled { return append(join('(', items), 't') }

func pickleList(items ...pickled) pickled {
	return append(append(pickled{']'}, join('(', items)...), 'e')
}

// pickleDict returns a dict; items contains keys and values in turn.
func pickleDict(items ...pickled) pickled {
	return append(append(pickled{'}'}, join('(', items)...), 'u')
}

func join(mark byte, items []pickled) pickled {
	all := pickled{mark}
	for _, item := range items {
		all = append(all, item...)
	}
	return all
}

// pickleArray returns a NumPy array of a dtype such as f4, in C order.
func pickleArray(dtype string, order string, data []byte, shape ...int) pickled {
	var sizes []pickled
	for _, n := range shape {
		sizes = append(sizes, pickleInt(n))
	}
	const none, no, yes = 'N', 0x89, 0x88
	call := func(module, name string, arguments pickled) pickled {
		function := append(append(pickleText(module), pickleText(name)...), 0x93)
		return append(append(function, arguments...), 'R')
	}
	build := func(object, state pickled) pickled { return append(append(object, state...), 'b') }
	kind := build(call("numpy", "dtype", pickleTuple(pickleText(dtype), pickled{no}, pickled{yes})),
		pickleTuple(pickleInt(3), pickleText(order), pickled{none}, pickled{none}, pickled{none}, pickleInt(-1),
			pickleInt(-1), pickleInt(0)))
	class := append(append(pickleText("numpy"), pickleText("ndarray")...), 0x93)
	empty := call("numpy.core.multiarray", "_reconstruct",
		pickleTuple(class, pickleTuple(pickleInt(0)), pickled("C\x01b")))
	bytes := append(binary.LittleEndian.AppendUint32(pickled{'B'}, uint32(len(data))), data...)
	return build(empty, pickleTuple(pickleInt(1), pickleTuple(sizes...), kind, pickled{no}, bytes))
}
