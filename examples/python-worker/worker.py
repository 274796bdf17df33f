"""Reads the queue of a subscriber and books each movement of money once."""

import json
import os
import re
import signal
import sqlite3
import sys
import threading

import botocore.exceptions
import botocore.session

SCHEMAS = {
    "payment.order.success": "urn:paycast:schema:payment-order-event:1",
    "payment.refund.success": "urn:paycast:schema:payment-refund-event:1",
}

# SQS moves a message to the dead-letter queue after this many receives.
MAX_RECEIVE_COUNT = int(os.environ.get("MAX_RECEIVE_COUNT", "10"))
# On its last receives a failing message no longer blocks its group.
LAST_RECEIVES = 3


class UnreadableEvent(Exception):
    """The message is not an event that this program can read. The error text quotes nothing of it."""


def read_event(body):
    """Checks the fields that this program uses and ignores all others."""
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        raise UnreadableEvent("the body is not JSON") from None
    need(isinstance(event, dict), "event")
    for name in ("id", "type", "dataschema"):
        need(isinstance(event.get(name), str) and event[name] != "", name)
    need(isinstance(event.get("data"), dict), "data")
    if event["type"] in SCHEMAS:
        # A new version of a type that we want: fail. The message waits in the dead-letter queue for an upgrade.
        need(event["dataschema"] == SCHEMAS[event["type"]], "dataschema")
        check_amount(event["data"].get("amount"))
    return event


def check_amount(amount):
    need(isinstance(amount, dict), "data.amount")
    need(is_text(amount.get("value"), r"[0-9]+(\.[0-9]+)?"), "data.amount.value")
    # A refund of a payment that was not created through this stack has neither.
    if "minor" in amount or "currency" in amount:
        need(is_text(amount.get("minor"), r"[0-9]+"), "data.amount.minor")
        need(is_text(amount.get("currency"), r"[A-Z]{3}"), "data.amount.currency")


def is_text(value, pattern):
    return isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


def need(is_right, field):
    if not is_right:
        raise UnreadableEvent(f"{field} is missing or wrong")


def open_book(path):
    """In autocommit mode each statement is a transaction of its own."""
    book = sqlite3.connect(path, timeout=1, isolation_level=None)
    book.execute(
        "create table if not exists entries (event_id text primary key, type text not null,"
        " order_no text, value text not null, minor text, currency text)"
    )
    return book


def handle_event(event, book):
    """The row is the work and the mark of the event at once: there is no moment with only one of them."""
    what = f"{event['type']} of {event.get('subject', 'an unknown order')}"
    if event["type"] not in SCHEMAS:
        return f"nothing to book: {what}"
    sign = "-" if event["type"].startswith("payment.refund.") else ""
    amount = event["data"]["amount"]
    # Minor units stay text here: SQLite's integers are shorter than money can be.
    minor = sign + amount["minor"] if "minor" in amount else None
    row = (event["id"], event["type"], event.get("subject"), sign + amount["value"], minor, amount.get("currency"))
    added = book.execute("insert into entries values (?, ?, ?, ?, ?, ?) on conflict do nothing", row)
    if added.rowcount == 0:
        return f"booked already: {what}"
    return f"booked {minor or row[3]} {amount.get('currency', '(currency unknown)')}: {what}"


def handle_batch(sqs, queue_url, messages, book):
    """Handles the messages in order. After a failure it returns the rest of the group to the queue, so that the events of
    one order stay in order. Every receive counts, so on a failing message's last three receives it tries the rest:
    otherwise they would reach the dead-letter queue untried."""
    stopped = set()
    pauses = {}
    returned = []
    for message in messages:
        group = message["Attributes"].get("MessageGroupId", message["MessageId"])
        if group not in stopped:
            try:
                say(handle_event(read_event(message["Body"]), book))
                # Delete only after the work.
                sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])
                continue
            except Exception as error:  # Whatever your own work raises must not stop the other messages.
                say(f"Message {message['MessageId']} failed: {error}")
                receives = int(message["Attributes"]["ApproximateReceiveCount"])
                pauses[group] = max(pause_after(error, receives), pauses.get(group, 0))
                if blocks_group(receives, MAX_RECEIVE_COUNT):
                    stopped.add(group)
        returned.append((message["ReceiptHandle"], group))
    if returned:
        # All messages of a group get its longest pause: SQS delivers none of them before the last one is visible.
        return_to_queue(sqs, queue_url, [(handle, pauses[group]) for handle, group in returned])


def blocks_group(receives, most):
    """Always on the first of several receives: a single failure must not change the order."""
    return receives <= most - min(LAST_RECEIVES, max(most - 1, 1))


def pause_after(error, receives):
    """Seconds until the next try: 5, 10, 20 ... up to 15 minutes, so that ten receives last half an hour. A retry cannot
    fix an unreadable event, so its order waits less: 1, 2, 3 ... seconds."""
    return receives if isinstance(error, UnreadableEvent) else min(5 * 2 ** (receives - 1), 900)


def return_to_queue(sqs, queue_url, messages):
    entries = [
        {"Id": str(index), "ReceiptHandle": handle, "VisibilityTimeout": pause}
        for index, (handle, pause) in enumerate(messages)
    ]
    sqs.change_message_visibility_batch(QueueUrl=queue_url, Entries=entries)


def receive(sqs, queue_url):
    response = sqs.receive_message(
        QueueUrl=queue_url,
        MaxNumberOfMessages=10,
        WaitTimeSeconds=5,
        AttributeNames=["MessageGroupId", "ApproximateReceiveCount"],
    )
    return response.get("Messages", [])


def work(sqs, queue_url, book, stopping):
    """Stops only between batches, at most five seconds and one batch after the signal."""
    failures = 0
    while not stopping.is_set():
        try:
            handle_batch(sqs, queue_url, receive(sqs, queue_url), book)
            failures = 0
        except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
            # SQS is unreachable. Messages that were not deleted become visible again.
            say(f"The queue cannot be used: {error}")
            failures += 1
            stopping.wait(min(2**failures, 30))


def say(line):
    print(line, flush=True)


def main():
    # An order number may have characters that the terminal's encoding lacks.
    sys.stdout.reconfigure(errors="backslashreplace")
    queue_url = os.environ.get("QUEUE_URL")
    if not queue_url:
        sys.exit("QUEUE_URL must name the queue of your subscriber.")
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    path = os.environ.get("BOOK", "book.sqlite")
    # botocore before 1.31 does not read these two variables.
    sqs = botocore.session.get_session().create_client(
        "sqs", region_name=os.environ.get("AWS_REGION"), endpoint_url=os.environ.get("AWS_ENDPOINT_URL_SQS")
    )
    book = open_book(path)
    say(f"Reading {queue_url} into {path}. Ctrl-C ends it.")
    work(sqs, queue_url, book, stopping)
    say("Stopped. Every received message was handled or returned.")


if __name__ == "__main__":
    main()
