package tune

// Disturbed counts the INVALID trials whose setting was VALID at a clearly higher rate, which shows that other work
// disturbed the machine.
func Disturbed(trials []Trial) (n int) {
	highest := map[Setting]float64{}
	for _, t := range trials {
		if t.Valid {
			highest[t.Setting] = max(highest[t.Setting], t.TargetQPS)
		}
	}
	for _, t := range trials {
		if !t.Valid && t.TargetQPS*(1+Precision) <= highest[t.Setting] {
			n++
		}
	}
	return n
}
