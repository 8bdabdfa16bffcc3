package tooluse

import (
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/conversations"
)

// step is an action of an agent and its result.
type step struct{ thought, command, result string }

// tasks returns conversations: the user's request and the steps.
func tasks() []struct {
	id, asked string
	steps     []step
} {
	return []struct {
		id, asked string
		steps     []step
	}{
		{"garden-7", "The script of the rain gauge prints nothing. Find out why, and mend it.", []step{
			{"I look at what is there.", "ls -la && git status", "gauge.py\nreadings.csv\nclean"},
			{"I read the script.", "cat gauge.py", "for row in open('reading.csv'):\n    print(row)"},
			{"The name of the file is wrong.", "grep -n reading gauge.py | head", "1:for row in open('reading.csv'):"},
			{"I mend it.", "sed -i s/reading.csv/readings.csv/ gauge.py && python3 gauge.py | tail -2", "4.2\n3.9"},
			{"It prints, so I keep it.", "git add gauge.py; git commit -m 'Read the readings'", "1 file changed"},
		}},
		{"ledger-2", "Count the orders of each town in orders.csv, the most first.", []step{
			{"I see how it is written.", "head -3 orders.csv", "id,town\n1,Bern\n2,Brno"},
			{"I count.", "cut -d, -f2 orders.csv | sort | uniq -c | sort -rn", "7 Brno\n4 Bern"},
			{"I keep the counts.", "mkdir -p out && cut -d, -f2 orders.csv | sort | uniq -c > out/towns.txt", ""},
			{"I check them.", "wc -l out/towns.txt && cat out/towns.txt", "2 out/towns.txt"},
		}},
		{"parser-11", "A test of the parser fails. Make it pass.", []step{
			{"I run the tests.", "pytest -q tests", "1 failed, 8 passed"},
			{"I find what it calls.", "grep -rn parse_date src | head -5", "src/dates.py:3:def parse_date(text):"},
			{"I read it.", "cat src/dates.py | head -20", "    day, month = text.split('.')"},
			{"There is a year, too.", "sed -i 's/day, month =/day, month, year =/' src/dates.py", ""},
			{"I run the tests again.", "pytest -q tests && git diff | wc -l", "9 passed\n12"},
		}},
	}
}

const system = "You work in a shell on a small machine. Call bash for each step, one at a time."

// Rows returns the rows of all conversations, a line of JSON each, in the form of the official file.
func Rows() (all []string) {
	tools := []any{map[string]any{"type": "function", "function": map[string]any{
		"name": "bash", "description": "Runs a command in the shell.", "parameters": map[string]any{
			"type": "object", "required": []string{"command"},
			"properties": map[string]any{"command": map[string]any{"type": "string", "description": "the command"}},
		}}}}
	for _, t := range tasks() {
		turn := 0
		add := func(row map[string]any) {
			turn++
			row["conversation_id"], row["turn"] = t.id, turn
			all = append(all, jsonLine(row))
		}
		add(map[string]any{"role": "user", "content": t.asked, "system": system, "tools": tools})
		for i, s := range t.steps {
			id := jsonLine(map[string]int{t.id: i})
			call := map[string]any{"id": id, "type": "function", "function": map[string]any{
				"name": "bash", "arguments": jsonLine(map[string]string{"command": s.command})}}
			add(map[string]any{"role": "assistant", "reasoning_content": s.thought, "tool_calls": []any{call}})
			if i < len(t.steps)-1 {
				add(map[string]any{"role": "tool", "delay_seconds": 0.2,
					"tool_results": []any{map[string]string{"tool_call_id": id, "content": s.result}}})
			}
		}
	}
	return all
}

// Conversations returns the rows as read by the reader of the official layout.
func Conversations() (*conversations.ConversationSet, error) {
	return conversations.ParseConversations(strings.Join(Rows(), "\n") + "\n")
}

// CountTurns returns the number of the client's turns in the conversations.
func CountTurns() (n int) {
	for _, t := range tasks() {
		n += len(t.steps)
	}
	return n
}

// RecordedCommands returns the commands that the agent ran, in the order of the turns that they answer.
func RecordedCommands() (commands []string) {
	for _, t := range tasks() {
		for _, s := range t.steps {
			commands = append(commands, s.command)
		}
	}
	return commands
}
