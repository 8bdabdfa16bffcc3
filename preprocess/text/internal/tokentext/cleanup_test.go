package tokentext

import "testing"

func TestCleanEnglish(t *testing.T) {
	const text, want = "It 's a b . c ? d ! e , f do n't I 'm we 've they 're x ' y .5",
		"It's a b. c? d! e, f don't I'm we've they're x'y.5"
	if got := CleanEnglish(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
