package wiring

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"moirai/moiraicore"
)

// rootFindings judges what only a constellation can tell: whether the wired
// pages hold its files, whether something types /start there without anybody,
// and whether sessions in its worktrees are gated.
func rootFindings(scope moiraicore.Scope, clients []Client) ([]Finding, error) {
	if !scope.Whole {
		return []Finding{finding(NoRoot, "%s: no directory holds all three required files; tried: %s",
			scope.Root, strings.Join(scope.Tried, ", "))}, nil
	}
	found, err := pagesNeeded(scope, clients)
	if err != nil {
		return nil, err
	}
	scheduled, err := scheduledStarts(scope.Root)
	if err != nil {
		return nil, err
	}
	outside, err := worktreesOutside(scope.Root)
	if err != nil {
		return nil, err
	}
	typing, err := autostarts(scope.Root, clients)
	return slices.Concat(found, startless(scope.Root, clients), scheduled, outside, typing), err
}

func pagesNeeded(scope moiraicore.Scope, clients []Client) ([]Finding, error) {
	content, err := moiraicore.ReadRequired(scope)
	if err != nil {
		return []Finding{finding(NoRoot, "%s: %s", scope.Root, firstLine(err))}, nil
	}
	pages, err := moiraicore.Paginate(content, scope.Root)
	if err != nil {
		return []Finding{finding(NoRoot, "%s: %s", scope.Root, firstLine(err))}, nil
	}
	var found []Finding
	for _, c := range clients {
		if n := wiredPages(c.Hooks()); n != 0 && n < len(pages) {
			found = append(found, finding(PagesNeeded, "%s needs %d pages and %s wires %d: every load fails; wire more or shorten the files",
				scope.Root, len(pages), c.ConfigDir, n))
		}
	}
	return found, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// scheduledStarts finds a durable scheduled prompt that would type /start: the
// client submits it as if a person had typed it (CLIENT-CONTRACT).
func scheduledStarts(root string) ([]Finding, error) {
	path := filepath.Join(root, ".claude/scheduled_tasks.json")
	text, err := os.ReadFile(path)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, nil // the client cannot read it either
	}
	if prompt, ok := findStart(all); ok {
		return []Finding{finding(TypesStart, "%s: a scheduled prompt sets START_ACK with nobody there: %.40q", path, prompt)}, nil
	}
	return nil, nil
}

// findStart looks for a prompt that starts a session in any text of the file,
// whatever the key, since the format is the client's own.
func findStart(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, moiraicore.IsStartPrompt(strings.TrimSpace(v))
	case []any:
		for _, item := range v {
			if s, ok := findStart(item); ok {
				return s, true
			}
		}
	case map[string]any:
		for _, item := range v {
			if s, ok := findStart(item); ok {
				return s, true
			}
		}
	}
	return "", false
}

// worktreesOutside finds git worktrees of the root, and the checkout that they
// belong to, whose path is out of scope: a session there is not gated.
func worktreesOutside(root string) ([]Finding, error) {
	common, err := gitCommonDir(root)
	if err != nil || common == "" {
		return nil, err
	}
	var trees []string
	if filepath.Base(common) == ".git" {
		trees = append(trees, filepath.Dir(common))
	}
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil && !absent(err) {
		return nil, err
	}
	for _, e := range entries {
		dir := filepath.Join(common, "worktrees", e.Name())
		text, err := os.ReadFile(filepath.Join(dir, "gitdir")) // PATH/.git, one line
		if absent(err) {
			continue // just pruned
		}
		if err != nil {
			return nil, err
		}
		trees = append(trees, filepath.Dir(under(dir, string(text))))
	}
	var found []Finding
	for _, tree := range trees {
		if _, err := os.Stat(tree); err == nil && !moiraicore.Locate(tree).In {
			found = append(found, finding(WorktreeOut, "%s: a worktree of %s; no part of its path is named %s, so sessions there are not gated",
				tree, root, moiraicore.ScopeName))
		}
	}
	return found, nil
}

// gitCommonDir is the folder of the repository that root is checked out from;
// empty if it is none. In a worktree .git is a file that names a folder, whose
// file commondir names the repository.
func gitCommonDir(root string) (string, error) {
	dir := filepath.Join(root, ".git")
	if text, err := os.ReadFile(dir); err == nil {
		dir = under(root, strings.TrimPrefix(string(text), "gitdir:"))
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "commondir"))
	if absent(err) {
		return dir, nil
	}
	return under(dir, string(text)), err
}

// under is the path that git wrote as text into a file of folder dir.
func under(dir, text string) string {
	path := strings.TrimSpace(text)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
