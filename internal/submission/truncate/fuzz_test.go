package truncate

import "testing"

// A hash is found only where a line says so, and a note of it is found again.
func FuzzNotedHash(f *testing.F) {
	for _, text := range []string{"hash=abc\n", "x\r\nhash=ABC\r\n", "accuracy=1% hash=abc", "hash=a\nhash=b\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		hash, err := notedHash(text, "accuracy.txt")
		if err != nil || hash == "" {
			return
		}
		again, err := notedHash(append([]byte("\nhash="+hash+"\n"), text...), "accuracy.txt")
		if again != hash || err != nil {
			t.Errorf("%q, then %q, %v", hash, again, err)
		}
	})
}
