#!/bin/sh
# Patroni calls it once with the URL of the new primary. It adds the role and the database of the service.
exec psql --quiet --set=ON_ERROR_STOP=1 --set=password="$TEMPLATES_PASSWORD" "$1" <<'SQL'
create role templates login password :'password';
create database templates owner templates;
SQL
