/** Names the folder that the tests of one run share; without it each test file stands for itself. */
export const SHARED_VARIABLE = "DISTILLERY_TEST_SHARED";
