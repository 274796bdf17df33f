#!/usr/bin/env bash
# Seals every planned case with openssl's command line (all but GCM, which `openssl enc` does not offer).
#   sign-openssl.sh WORK_FOLDER        see plan.py for what is in it; writes out/openssl/{signed,body,sign}
set -euo pipefail
export LC_ALL=C # bytes, and names sorted by their bytes

declare -A setting

read_settings() {
  setting=()
  local line
  while IFS= read -r line; do setting[${line%%=*}]=${line#*=}; done <settings
}

# A file's content to the byte; $(...) would drop line breaks at its end.
slurp() { IFS= read -r -d '' REPLY <"$1" || true; }

to_hex() { od -An -v -tx1 | tr -d ' \n'; }
from_hex() { printf "$(sed 's/../\\x&/g' <<<"$1")"; }

encode() { # CODING: standard input as text
  case $1-${setting[layout]} in
    base64-wrapped) openssl base64 ;;
    base64-*) openssl base64 -A ;;
    base64url-padded) openssl base64 -A | tr '+/' '-_' ;;
    base64url-*) openssl base64 -A | tr '+/' '-_' | tr -d '=' ;;
    hex-capitals) to_hex | tr a-f A-F ;;
    hex-*) to_hex ;;
  esac
}

aes_key_hex() {
  case ${setting[keyEncoding]} in
    hex) printf %s "${setting[aesKey]}" ;;
    base64) printf %s "${setting[aesKey]}" | openssl base64 -d -A | to_hex ;;
    utf-8) printf %s "${setting[aesKey]}" | to_hex ;;
  esac
}

encrypt() {
  local key cipher
  key=$(aes_key_hex)
  cipher=aes-$((${#key} * 4))-${setting[cipher],,}
  [[ ${setting[iv]} != prefixed ]] || from_hex "${setting[ivHex]}"
  if [[ ${setting[cipher]} == ECB ]]; then
    openssl enc "-$cipher" -K "$key" -in plaintext
  else
    openssl enc "-$cipher" -K "$key" -iv "${setting[ivHex]}" -in plaintext
  fi
}

json_string() {
  local text=$1 code char
  text=${text//\\/"\\\\"}
  text=${text//\"/"\\\""}
  text=${text//$'\b'/"\\b"}
  text=${text//$'\t'/"\\t"}
  text=${text//$'\n'/"\\n"}
  text=${text//$'\f'/"\\f"}
  text=${text//$'\r'/"\\r"}
  for code in {1..31}; do
    printf -v char "\\x$(printf %02x "$code")"
    text=${text//"$char"/"$(printf '\\u%04x' "$code")"}
  done
  printf '"%s"' "$text"
}

is_unsigned() { [[ $1 == sign || " ${setting[unsignedFields]} " == *" $1 "* ]]; }

names() {
  case ${setting[signedForm]} in
    *-as-sent) printf '%s\n' "${setting[order]}" ;;
    *) (ls strings literals; echo body) | grep -v ':$' | sort ;;
  esac
}

# Empty fields and nulls are signed only in JSON as sent.
is_left_out() { [[ ${setting[signedForm]} != json-as-sent && ( $1 == '' || $1 == literal:null ) ]]; }

# Hands every signed field to a function: NAME KIND VALUE
each_signed_field() {
  local name
  for name in $(names); do
    if is_unsigned "$name"; then continue; fi
    if [[ $name == body ]]; then
      slurp "$1"
      if [[ ${setting[bodyInJson]} == json ]]; then "$2" "$name" literal "$REPLY"; else "$2" "$name" string "$REPLY"; fi
    elif [[ -f literals/$name ]]; then
      slurp "literals/$name"
      is_left_out "literal:$REPLY" || "$2" "$name" literal "$REPLY"
    else
      slurp "strings/$name"
      is_left_out "$REPLY" || "$2" "$name" string "$REPLY"
    fi
  done
}

separator=
pair() {
  printf '%s%s=%s' "$separator" "$1" "$3"
  separator='&'
}
member() {
  printf '%s' "$separator"
  json_string "$1"
  if [[ $2 == literal ]]; then printf ':%s' "$3"; else printf ':' && json_string "$3"; fi
  separator=,
}

signed_text() { # FILE that stands for the body
  separator=
  case ${setting[signedForm]} in
    body) cat "$1" ;;
    *pairs*) each_signed_field "$1" pair ;;
    *json*) printf '{' && each_signed_field "$1" member && printf '}' ;;
  esac
}

sign() {
  local hash=${setting[signatureHash],,} options=()
  if [[ ${setting[signaturePadding]} == PSS ]]; then
    options=(-sigopt rsa_padding_mode:pss -sigopt "rsa_pss_saltlen:${setting[saltBytes]}")
  fi
  openssl dgst "-${hash/-/}" -sign "$1" "${options[@]}" out/openssl/signed
}

for folder in "$1"/cases/*/; do
  cd "$folder"
  read_settings
  [[ " ${setting[tools]} " == *" openssl "* ]] || continue
  mkdir -p out/openssl
  encrypt | encode "${setting[bodyEncoding]}" >out/openssl/body
  if [[ ${setting[signs]} == plaintext ]]; then body=plaintext; else body=out/openssl/body; fi
  signed_text "$body" >out/openssl/signed
  sign "$1/keys/${setting[key]}.pem" | encode "${setting[signatureEncoding]}" >out/openssl/sign
done
