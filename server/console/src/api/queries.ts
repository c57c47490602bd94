/** What is asked of the service, kept and asked again: one cache for all views. */

import { ServiceError } from "@distillery/client";
import { QueryClient } from "@tanstack/react-query";

const RETRIES = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the service refused once it refuses again; what did not reach it may.
      retry: (failures, error) =>
        failures < RETRIES && error instanceof ServiceError && error.isPassing,
    },
    mutations: { retry: false },
  },
});
