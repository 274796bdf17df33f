/** SQS accepts at most one mebibyte: the body, and the name, type and value of each attribute. */
export const mostMessageBytes = 1_048_576;
