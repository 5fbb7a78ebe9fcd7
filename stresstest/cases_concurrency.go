package main

import "moirai/stresstest/rig"

// Many hooks of one session at once.
var concurrencyCases = []testCase{
	{class: "concurrency", name: "200 mixed writers and readers on one session, one page", needs: crowd, steps: []step{
		mixed{calls: 200, pages: 1, wide: 12},
	}},
	{class: "concurrency", name: "200 mixed writers and readers on one session, three pages", needs: crowd, steps: []step{
		holding(rig.SizedContents(25_000)), mixed{calls: 200, pages: 3, wide: 12},
	}},
	{class: "concurrency", name: "200 mixed writers and readers, 64 at once", needs: crowd, steps: []step{mixed{calls: 200, pages: 1, wide: 64}}},
	{class: "concurrency", name: "5 loaders and 10 gates at once from nothing", needs: alone, steps: []step{mixed{calls: 15, pages: 1, wide: 15}}},
	{class: "concurrency", name: "20 first records at once: each marker once", needs: crowd, steps: []step{
		append(times(10, loader(prompt("go on")).prints(nil)), times(10, gate(skill("start")))...), allowed(), eachOnce{},
	}},
	{class: "concurrency", name: "20 writers of /start and Reads: each marker once", needs: crowd, steps: []step{
		append(append(times(7, gate(shown(0))), times(7, gate(shown(1)))...), times(6, gate(shown(2)))...), start(), allowed(), eachOnce{},
	}},
}
