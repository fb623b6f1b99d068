"""Why a request has no answer, and what to ask instead."""
