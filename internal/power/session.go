package power

// SessionFiles are the logs that the official power tools leave of a session, in the folder performance/power of a
// submission. They are taken as they are, and never made.
func SessionFiles() []string {
	return []string{"client.json", "client.log", "ptd_logs.txt", "server.json", "server.log"}
}
