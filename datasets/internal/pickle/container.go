package pickle

import "fmt"

// runContainer runs op if it makes or fills a list, tuple or dict. It reports whether it did.
func (m *pickleMachine) runContainer(op byte) (bool, error) {
	switch op {
	case ']':
		return true, m.push(&List{})
	case '}':
		return true, m.push(Dict{})
	case ')':
		return true, m.push(Tuple{})
	case 0x85, 0x86, 0x87: // tuples of 1, 2 or 3 items
		items, err := m.popObjects(int(op) - 0x84)
		if err != nil {
			return true, err
		}
		return true, m.push(Tuple(items))
	case 't':
		items, err := m.popToMark()
		if err != nil {
			return true, err
		}
		return true, m.push(Tuple(items))
	case 'a', 's':
		items, err := m.popObjects(map[byte]int{'a': 1, 's': 2}[op])
		if err != nil {
			return true, err
		}
		return true, m.addItems(items)
	case 'e', 'u':
		items, err := m.popToMark()
		if err != nil {
			return true, err
		}
		return true, m.addItems(items)
	}
	return false, nil
}

// addItems adds items to the list on top of the stack, or keys and values to the dict there.
func (m *pickleMachine) addItems(items []any) error {
	top, err := m.peek()
	if err != nil {
		return err
	}
	switch c := top.(type) {
	case *List:
		if m.Each != nil && len(m.stack) == 1 {
			return m.passToEach(items)
		}
		c.Items = append(c.Items, items...)
		return nil
	case Dict:
		return c.addItems(items)
	}
	return fmt.Errorf("items for a %T, want a list or dict", top)
}

// passToEach passes items to Each.
func (m *pickleMachine) passToEach(items []any) error {
	for _, item := range items {
		if err := m.Each(m.itemCount, item); err != nil {
			return err
		}
		m.itemCount++
	}
	return nil
}

func (d Dict) addItems(items []any) error {
	if len(items)%2 != 0 {
		return fmt.Errorf("%d keys and values, want pairs", len(items))
	}
	for i := 0; i < len(items); i += 2 {
		key, ok := items[i].(string)
		if !ok {
			return fmt.Errorf("a key of type %T, want a str", items[i])
		}
		d[key] = items[i+1]
	}
	return nil
}

// runMemo runs op if it uses the memo. It reports whether it did.
func (m *pickleMachine) runMemo(op byte) (bool, error) {
	size := 0
	switch op {
	case 'q', 'h':
		size = 1
	case 'r', 'j':
		size = 4
	case 0x94:
	default:
		return false, nil
	}
	place := len(m.memo)
	if m.readIndices != nil {
		place = m.nextMemo
	}
	if size > 0 {
		n, err := m.readUint(size)
		if err != nil {
			return true, err
		}
		place = int(n)
	}
	if op == 'h' || op == 'j' {
		v, ok := m.memo[place]
		if !ok {
			return true, fmt.Errorf("object %d of the memo, want an earlier one", place)
		}
		return true, m.push(v)
	}
	top, err := m.peek()
	if err != nil {
		return true, err
	}
	m.nextMemo++
	if m.readIndices != nil && !m.readIndices[place] {
		return true, nil
	}
	if m.memo == nil {
		m.memo = map[int]any{}
	}
	m.memo[place] = top
	return true, m.countObject()
}
