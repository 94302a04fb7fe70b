module flagsvc.example/client

go 1.19
