#!/bin/sh
# Runs once, on an empty volume. The server's role is not a superuser, because row-level security does not apply to one.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 --set "password=$DATABASE_PASSWORD" <<'SQL'
create role flagsvc login password :'password';
create database flagsvc owner flagsvc;
SQL
