module signalbox.bench/part

go 1.26
