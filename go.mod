module moirai

go 1.26
