#!/bin/sh
# Makes the authority and the certificate of "localhost" beside this file, for tests of TLS alone.
set -e
cd "$(dirname "$0")"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 \
  -subj "/CN=authority of tests" -keyout authority-key.pem -out authority.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=localhost" \
  -keyout localhost-key.pem -out localhost.csr
printf 'subjectAltName=DNS:localhost\n' > extensions
openssl x509 -req -in localhost.csr -CA authority.pem -CAkey authority-key.pem -days 36500 \
  -extfile extensions -out localhost.pem
rm authority-key.pem localhost.csr extensions
