package main

import (
	"fmt"
	"time"

	"moirai/operate/history"
	"moirai/operate/wiring"
)

const (
	// A session is over for the alerts when neither its token nor its transcript has
	// moved for so long.
	overAfter = 24 * time.Hour
	// The hour of the day, local time, at which the probe tells of such sessions. It
	// keeps nothing between two runs, and runs hourly.
	dailyHour = 12
)

// current are the alerts of sessions that may still go on. Those of sessions that are
// over would come every hour for ever: they are one alert, once a day. seen says how
// many there are.
func current(found []tokenAlert, report wiring.Report, now time.Time) (alerts []alert, seen string, err error) {
	var dirs []string
	for _, c := range report.Clients {
		dirs = append(dirs, c.ConfigDir)
	}
	transcripts, err := history.TranscriptsOf(dirs)
	if err != nil {
		return nil, "", err
	}
	var over []tokenAlert
	for _, a := range found {
		if isOver(a, transcripts, now) {
			over = append(over, a)
			continue
		}
		alerts = append(alerts, a.alert)
	}
	if over == nil {
		return alerts, "", nil
	}
	if now.Hour() == dailyHour {
		alerts = append(alerts, alarm(overAlerts, "%d alerts of sessions that are over, told once a day; docs/ALERTS.md says how to remove their token files. The first: %s %s",
			len(over), over[0].Name, over[0].Detail))
	}
	return alerts, fmt.Sprintf(", %d alerts of sessions that are over (told at %d:00)", len(over), dailyHour), nil
}

// isOver tells whether nothing of the session has moved for a day.
func isOver(a tokenAlert, transcripts history.Transcripts, now time.Time) bool {
	if now.Sub(a.written) <= overAfter {
		return false
	}
	moved, exists := transcripts.Moved(a.session)
	return !exists || now.Sub(moved) > overAfter
}
